#!/bin/sh
# Runs a container in the namespaces of this process, waits until it is healthy, looks at it and
# stops it: container.sh PODMAN IMAGE OPTION...
podman=$1 image=$2
shift 2
umount -l /sys/fs/cgroup # crun works with version 2 alone
mount -t cgroup2 cgroup2 /sys/fs/cgroup
ip link set lo up
$podman run --detach --name served "$@" "$image"
until $podman healthcheck run served; do
    test "$($podman inspect --format '{{.State.Status}}' served)" = running
    sleep 0.2
done
$podman exec served sh -c 'echo "$(stat -c %u:%g /proc/1) $(tr "\\0" " " </proc/1/cmdline)"'
$podman exec served /opt/stoa/bin/stoa audit
$podman stop served
echo "ended with $($podman inspect --format '{{.State.ExitCode}}' served)"
