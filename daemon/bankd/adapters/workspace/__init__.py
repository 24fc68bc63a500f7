"""What a workspace holds, read without reading every page again: logs, memories, links, runs.

memory_catalog knows the memories, by catalog_database with its compared_table (which are alike) and log_tables (the
logs); link_graph the references, by link_store and referring_files; logs the new lines, import_files those that
imports wrote. run_ledger is what is kept of runs; outside is the transaction layer with files of other folders that
follow. facts says how a workspace stands and judges the clock, facts_cache is for briefings, shown_ledger what these
have shown, waiting_transcripts what hooks left; purging finds what remembers a text.
"""
