ls bank/knowledge/*.md
