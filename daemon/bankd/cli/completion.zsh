#compdef bankctl
# bankctl, for zsh: save this file as _bankctl in a folder of $fpath
_bankctl() {
  local -a commands
  commands=(
@NAMES@
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case "$words[2]" in
@COMMANDS@
  esac
}
_bankctl "$@"
