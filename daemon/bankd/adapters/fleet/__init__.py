"""The PostgreSQL of a fleet: its banks, the queue of their nights, and what the shared search knows of them.

database the connection and the tables · bank_registry the banks · night_queue their nights, by procrastinate
exported_index what a bank's own index holds · shared_writer puts it there · shared_index is asked as a bank's own is
shared_vectors which mean much the same · shared_postings which memories have a term · opensearch the same in a cluster, for what outgrows that
"""
