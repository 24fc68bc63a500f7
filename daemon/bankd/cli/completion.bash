# bankctl, for bash: source this file, or save it in ~/.local/share/bash-completion/completions/bankctl
_bankctl() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" name="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i]}" in -*) ;; *) name="${COMP_WORDS[i]}"; break ;; esac
  done
  case "$before" in
@VALUES@
  esac
  case "$name" in
@COMMANDS@
    *) COMPREPLY=($(compgen -W "@NAMES@ --help --version" -- "$word")) ;;
  esac
}
complete -o default -F _bankctl bankctl
