ls bank/deep/knowledge/*.md
