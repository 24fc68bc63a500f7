#!/bin/sh
cat "$HOME/x/bank/knowledge/full.md" "${WS}/bank/knowledge/full.md#도구"
