#!/bin/sh
# Boots the system in a folder in namespaces of its own, with no network but loopback:
# boot.sh FOLDER CGROUP. It ends with this process.
set -eu
root=$1 cgroup=$2

hybrid() { [ -d /sys/fs/cgroup/unified ]; }

if [ $$ -ne 1 ]; then
    for tree in $(hybrid && echo systemd unified || echo .); do
        mkdir -p "/sys/fs/cgroup/$tree/$cgroup"
        echo $$ >"/sys/fs/cgroup/$tree/$cgroup/cgroup.procs"
    done
    exec unshare --mount --pid --uts --ipc --net --cgroup --fork --kill-child \
        --propagation private sh "$0" "$@"
fi

mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for node in null zero full random urandom tty; do
    touch "$root/dev/$node"
    mount --bind "/dev/$node" "$root/dev/$node"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
if hybrid; then
    mount -t tmpfs -o mode=755 tmpfs "$root/sys/fs/cgroup"
    mkdir "$root/sys/fs/cgroup/systemd" "$root/sys/fs/cgroup/unified"
    mount -t cgroup -o none,name=systemd cgroup "$root/sys/fs/cgroup/systemd"
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup/unified"
else
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
fi
ip link set lo up
cd "$root"
mkdir -p .before
pivot_root . .before
umount -l /.before
exec env -i container=unshare PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    /lib/systemd/systemd --log-target=console --show-status=no
