#compdef bankctl
# bankctl, for zsh: save this file as _bankctl in a folder of $fpath
local -a found
found=("${(@f)$(bankctl completions zsh "${(@)words[2,CURRENT]}" 2>/dev/null)}")
if [[ -n "$found" ]]; then _describe bankctl found; else _files; fi
