cat bank/knowledge/full.md#도구
