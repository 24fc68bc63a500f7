"""Many banks on many machines, over PostgreSQL or OpenSearch (the extra `fleet`).

actions     fleet commands
commands    fleet commands
database    PostgreSQL, tables
export      an index read
opensearch  same in OpenSearch
queue       nights, retries
registry    banks, due nights
shared      many banks, one index
together    put together, asked
worker      joining, processes
writer      changes into tables
"""
