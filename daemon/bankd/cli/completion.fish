# bankctl, for fish: save this file as ~/.config/fish/completions/bankctl.fish
function __bankctl
    bankctl completions fish (commandline -opc)[2..] (commandline -ct) 2>/dev/null; or __fish_complete_path (commandline -ct)
end
complete -c bankctl -f -a '(__bankctl)'
