"""The days that a text speaks of, in Korean and English, resolved against the day on which it was written or asked.

    spans, holidays      the calendar: weeks, months, seasons, feasts
    english, korean      tables and patterns: what is written, and the span it means; slashed: 9/26 in Korean notes
    mentions             reads a text with both; joins "from … to …", "since …", "…까지"
    memory_days          the days of a memory; question_days: the window of a question; labels: "2 weeks ago", "2주 전"

Questions and memories are read by the same tables. What reads has to be imported lazily: most questions name no day.
"""
