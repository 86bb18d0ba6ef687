#!/usr/bin/env bash
# Runs a command as a user who is not root, and has no account: scripts/unprivileged.sh COMMAND …
# Root's home, which nobody else may enter, is open to that command where Python or this checkout
# lies in it; for the rest of the machine nothing changes.
set -euo pipefail
if [ "$(id -u)" != 0 ]; then exec "$@"; fi
number=54321
folder=$(mktemp -d)
chown "$number:$number" "$folder"
trap 'rm -rf "$folder"' EXIT
open_home='
  home=$1 number=$2 folder=$3; shift 3
  python=$(readlink -f "$(command -v "$1")")
  if [[ "$(dirname "$python") $PWD " == *"$home/"* ]] && ! setpriv --reuid="$number" --regid="$number" --clear-groups test -x "$home"; then
    mkdir "$folder/home"
    mount --rbind "$home" "$folder/home"
    mount -t tmpfs -o mode=755 tmpfs "$home"
    for place in "$(dirname "$(dirname "$python")")" "$PWD"; do
      if [[ "$place" == "$home"/* ]]; then
        mkdir -p "$place"
        mount --rbind "$folder/home/${place#"$home"/}" "$place"
      fi
    done
    umount -l "$folder/home"
    rmdir "$folder/home"
  fi
  cd "$PWD"
  exec setpriv --reuid="$number" --regid="$number" --clear-groups --inh-caps=-all "$@"'
status=0
env HOME="$folder" USER=learner LOGNAME=learner TMPDIR="$folder" PYTHONDONTWRITEBYTECODE=1 \
  unshare --mount bash -euc "$open_home" bash "$HOME" "$number" "$folder" "$@" || status=$?
exit "$status"
