#!/bin/sh
# Runs a command of the sender whitelist. The jar follows this script in the same file.
# The script finds a Java. It also keeps what Java prepares at each start in an archive, so that later starts are short.

wl_least=21
wl_program=io.github.senderwhitelist.cli

# Sets $wl_version to the version of the Java in the folder $1, or to nothing if there is none.
look() {
  wl_version=
  [ -x "$1/bin/java" ] || return 0
  if [ -r "$1/release" ]; then
    while IFS='=' read -r wl_name wl_value; do
      if [ "$wl_name" = JAVA_VERSION ]; then
        wl_version=${wl_value#\"}
        break
      fi
    done < "$1/release"
  fi
  if [ -z "$wl_version" ]; then
    wl_version=$("$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([^"]*\)".*/\1/p')
  fi
  wl_version=${wl_version%\"}
}

# Takes the Java in the folder $1 if its version is at least $2.
take() {
  case $wl_found in
    *" $1 ("*) return 0 ;;
  esac
  look "$1"
  [ -n "$wl_version" ] || return 0
  wl_found="$wl_found $1 ($wl_version)"
  wl_number=${wl_version%%[!0-9]*}
  if [ "${wl_number:-0}" -ge "$2" ]; then
    wl_home=$1
    wl_release=$wl_number
  fi
}

# cron and containers often have no locale. Java can name no files then but those in ASCII.
case ${LC_ALL:-${LC_CTYPE:-${LANG:-C}}} in
  C | POSIX)
    LC_ALL=C.UTF-8
    export LC_ALL
    ;;
esac
# A descriptor that is closed would be that of the first file that Java opens.
{ true 3<&0; } 2> /dev/null || exec 0> /dev/null
{ true 3>&1; } 2> /dev/null || exec 1< /dev/null
{ true 3>&2; } 2> /dev/null || exec 2< /dev/null

wl_home=
wl_release=
wl_found=
[ -z "$JAVA_HOME" ] || take "$JAVA_HOME" $wl_least
if [ -z "$wl_home" ] && wl_java=$(command -v java); then
  wl_real=$(readlink -f "$wl_java" 2> /dev/null || echo "$wl_java")
  wl_folder=${wl_real%/bin/java}
  if [ ! -r "$wl_folder/lib/modules" ]; then
    # A program that starts the real one.
    wl_real=$("$wl_java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p')
    wl_folder=${wl_real:-$wl_folder}
  fi
  take "$wl_folder" $wl_least
fi
if [ -z "$wl_home" ]; then
  for wl_folder in /usr/lib/jvm/*; do
    [ -h "$wl_folder" ] || take "$wl_folder" $((wl_release ? wl_release + 1 : wl_least))
  done
fi
if [ -z "$wl_home" ]; then
  echo "Java $wl_least or newer is needed; found:${wl_found:- none} in JAVA_HOME, on the path and in /usr/lib/jvm." \
    "Install one, or set JAVA_HOME to its folder. Nothing was done" >&2
  exit 2
fi

wl_self=$0
case $wl_self in
  /*) ;;
  *) wl_self=$PWD/${wl_self#./} ;;
esac
case $wl_self in
  */../*) wl_self=$(cd -P "${wl_self%/*}" && pwd)/${wl_self##*/} ;;
esac
case $wl_self in
  *:* | *"
"*)
    # Such a name cannot be in a class path, or in the key of an archive, and there is no archive without one.
    exec "$wl_home/bin/java" -XX:+DisplayVMOutputToStderr -jar "$wl_self" "$@"
    ;;
esac

# Java 25 and newer keep more in an archive than those before.
if [ "$wl_release" -ge 25 ]; then
  wl_write=-XX:AOTCacheOutput
  wl_use=-XX:AOTCache
else
  wl_write=-XX:ArchiveClassesAtExit
  wl_use=-XX:SharedArchiveFile
fi

# Makes the archive, by a rehearsal of the commands. If that fails, an empty one is left, so that it is not tried again
# at each start. It gets its name when it is whole, so any number of first starts can make it at once.
make() {
  wl_new=$wl_archive.$$
  mkdir -p "${wl_archive%/*}" || return 0
  # What starts left behind that were killed here. The keys tell how many these were.
  find "${wl_archive%/*}" \( -name "${wl_archive##*/}.[0-9]*" -o -name ".${wl_archive##*/}.[0-9]*" \) -mmin +10 \
    -exec rm -f {} +
  wl_beside=0
  for wl_other in "$wl_archive".[0-9]*.key; do
    [ -f "$wl_other" ] || continue
    wl_beside=$((wl_beside + 1))
    wl_number=${wl_other#"$wl_archive".}
    wl_number=${wl_number%.key}
    kill -0 "$wl_number" || rm -f "$wl_archive.$wl_number" "$wl_archive.$wl_number.swl" "$wl_archive.$wl_number.config"
  done
  # If starts are killed here again and again, the next ones do without.
  [ $wl_beside -lt 8 ] || return 0
  printf '%s\n' "$wl_key" > "$wl_new.key" || return 0
  # If there is too little memory, this ends, and not the server beside it.
  echo 1000 > /proc/self/oom_score_adj
  "$wl_home/bin/java" -XX:+UseSerialGC "$wl_write=$wl_new" $wl_native -cp "$wl_self" $wl_program.Rehearsal "$wl_new.swl"
  rm -f "$wl_new.swl" "$wl_new.config"
  [ -f "$wl_new" ] || : > "$wl_new"
  mv -f "$wl_new" "$wl_archive"
  mv -f "$wl_new.key" "$wl_archive.key"
}

# Without this, Java warns when SQLite's library is loaded. An archive is good for the same option only.
wl_native=--enable-native-access=ALL-UNNAMED

# The archive is as trustworthy as who can change it, so only one's own folder in one's own folder will do.
wl_archived=
case $XDG_CACHE_HOME in
  /*)
    wl_own=$XDG_CACHE_HOME
    wl_shelf=$wl_own/james-sender-whitelist
    ;;
  *)
    wl_own=$HOME
    wl_shelf=$wl_own/.cache/james-sender-whitelist
    ;;
esac
if [ -O "$wl_own" ]; then
  [ -d "$wl_shelf" ] || (umask 077 && mkdir -p "$wl_shelf") > /dev/null 2>&1
fi
if [ -O "$wl_own" ] && [ -O "$wl_shelf" ] && [ ! -h "$wl_shelf" ]; then
  wl_archive=$wl_shelf$wl_self.archive
  wl_key=$(LC_ALL=C TZ=UTC ls -dilL "$wl_self" "$wl_home/lib/modules" 2> /dev/null)
  wl_one=
  wl_two=
  [ ! -r "$wl_archive.key" ] || { IFS= read -r wl_one && IFS= read -r wl_two; } < "$wl_archive.key"
  # One that could not be made is tried again after a day.
  if [ "$wl_one${wl_two:+
$wl_two}" != "$wl_key" ] || { [ ! -s "$wl_archive" ] && [ -z "$(find "$wl_archive" -mmin -1440 2> /dev/null)" ]; }; then
    [ ! -t 2 ] || echo "The first start prepares later ones, which takes some seconds." >&2
    (umask 077 && make) > /dev/null 2>&1 < /dev/null
  fi
  [ ! -s "$wl_archive" ] || wl_archived=$wl_use=$wl_archive
fi

# Returns whether $1 is a file of over 64 MB.
large() {
  case $1 in
    /*) wl_file=$1 ;;
    *) wl_file=./$1 ;;
  esac
  [ -f "$wl_file" ] && [ -n "$(find -L "$wl_file" -prune -size +131072 2> /dev/null)" ]
}

# The second compiler pays only for what takes some seconds: the lines of standard input, and lists of over 64 MB. Here
# it inlines less than it would, which saves a quarter of the time of 10^6 checks.
wl_options=
wl_second="-XX:+IgnoreUnrecognizedVMOptions -XX:FreqInlineSize=100"
case $1 in
  check | build)
    # One address is answered before compiling pays.
    wl_options="-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=10"
    for wl_argument; do
      case $wl_argument in
        - | *.gz) wl_options=$wl_second ;;
        -* | *.swl) ;;
        *) large "$wl_argument" && wl_options=$wl_second ;;
      esac
    done
    ;;
esac
wl_user="$JAVA_TOOL_OPTIONS $_JAVA_OPTIONS $JDK_JAVA_OPTIONS"
# What a build allocates stays, or is garbage at once.
case $1/$wl_user in
  *-Xm[nsx]* | *HeapSize* | *NewSize*) ;;
  build/*) wl_options="$wl_options -Xmn16m" ;;
esac

wl_options="-XX:+UseSerialGC $wl_options"
# What the user sets counts. Java does not start with two collectors, or with an archive that does not fit.
case $wl_user in
  *GC* | *-Xshare* | *Archive* | *AOT*)
    wl_options=
    wl_archived=
    ;;
esac

# Java complains of an archive that does not fit, and does without. Its log is turned off for that.
wl_quiet=-Xlog:disable
case $wl_user in
  *-Xlog* | *-verbose*) wl_quiet= ;;
esac
# On standard output are answers only.
exec "$wl_home/bin/java" $wl_options ${wl_archived:+"$wl_archived"} $wl_quiet $wl_native \
  -XX:+DisplayVMOutputToStderr -cp "$wl_self" $wl_program.Main "$@"
