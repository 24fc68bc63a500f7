"""What a workspace holds, read without reading every page again: logs, memories, links, runs.

memory_catalog and catalog_database know the memories, compared_table what they are to each other, link_graph and link_store the references, logs the new lines.
run_ledger and run_reports are what runs left; outside is the transaction layer with files of other folders that follow.
facts is for commands that only read, purging finds what remembers a text, clock_trust whether the clock is believed.
"""
