# bankctl, for bash: source this file, or save it in ~/.local/share/bash-completion/completions/bankctl
_bankctl() { mapfile -t COMPREPLY < <(bankctl completions bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); }
complete -o default -F _bankctl bankctl
