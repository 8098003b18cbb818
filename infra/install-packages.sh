#!/bin/sh
# install-packages.sh PACKAGE...: installs Debian packages with apt-get, as root or by sudo without a password. Ends
# with 3 where that is not possible. In sh, because it also installs what Node needs. apt-get's output is on stdout.

as_root=
[ "$(id -u)" -eq 0 ] || as_root="sudo -n"
command -v apt-get >/dev/null && { [ -z "$as_root" ] || $as_root true 2>/dev/null; } || exit 3

# Another package command may hold dpkg's lock: apt-get waits for it up to 60 s, and says so.
apt() { # sudo removes the proxies from the environment
  $as_root env ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
    ${no_proxy:+"no_proxy=$no_proxy"} DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -o DPkg::Lock::Timeout=60 "$@"
}

# apt-get does not wait for the lock of the package lists. Without new lists the installation may fail.
update() {
  seconds=0
  until said=$(apt update 2>&1); do
    # Another failure is final: one unreachable source causes it, and the packages may come from another.
    case $said in *lists/lock*) ;; *) echo "$said"; return ;; esac
    [ "$seconds" -gt 0 ] || echo "tally: waiting up to 60 s for another package command that updates the package lists"
    [ "$seconds" -lt 60 ] || return
    seconds=$((seconds + 1))
    sleep 1
  done
}

# Debian's policy file forbids that packages start services. Another one is kept.
policy=/usr/sbin/policy-rc.d
mark="Made by tally while it installs packages, so that none of their services starts."
if [ ! -e "$policy" ] || { read -r _ && read -r line && [ "$line" = "# $mark" ]; } <"$policy"; then
  trap '$as_root rm -f "$policy" 2>/dev/null' EXIT
  trap 'exit 130' INT TERM
  $as_root sh -c 'printf "#!/bin/sh\n# %s\nexit 101\n" "$2" >"$1" && chmod 755 "$1"' sh "$policy" "$mark" 2>/dev/null
fi

echo "tally: installing $* (apt-get; takes about a minute)"
apt install -y --no-install-recommends "$@" 2>&1 || {
  echo "tally: apt-get failed, perhaps because of old package lists: updating them and trying once more"
  update
  apt install -y --no-install-recommends "$@" || exit 1
}

# AppArmor lets MariaDB 11.8 use the folders of its packages and /tmp only. This adds those of a checkout.
profile=/etc/apparmor.d/mariadbd rules=/etc/apparmor.d/local/mariadbd rule='/**/.tally/{,**} rwkl,'
[ ! -e "$profile" ] || grep -qsF "$rule" "$rules" || {
  $as_root sh -c 'printf "\n%s\n" "$1" >>"$2" && apparmor_parser -r "$3"' sh "$rule" "$rules" "$profile" 2>/dev/null &&
    echo "tally: added to $rules, for MariaDB: $rule"
}
exit 0
