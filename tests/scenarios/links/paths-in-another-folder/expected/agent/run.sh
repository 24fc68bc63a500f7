#!/bin/sh
cat "$HOME/x/bank/knowledge/full.md" "${WS}/bank/knowledge/full/도구.md#도구"
