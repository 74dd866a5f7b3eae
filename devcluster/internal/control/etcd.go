package control

import "path/filepath"

// etcdArgs. The store is as private as a loopback port can be made: only the
// bearer of a certificate of its own authority is let in.
func (c Config) etcdArgs() []string {
	client, peer := c.url(Etcd), c.url(etcdPeer)
	return []string{
		"--name=devcluster",
		flag("data-dir", filepath.Join(c.Dir, DataDir, "etcd")),
		flag("listen-client-urls", client),
		flag("advertise-client-urls", client),
		flag("listen-peer-urls", peer),
		flag("initial-advertise-peer-urls", peer),
		flag("initial-cluster", "devcluster="+peer),
		c.pki("cert-file", "etcd.crt"),
		c.pki("key-file", "etcd.key"),
		c.pki("trusted-ca-file", etcdCA),
		"--client-cert-auth",
		c.pki("peer-cert-file", "etcd.crt"),
		c.pki("peer-key-file", "etcd.key"),
		c.pki("peer-trusted-ca-file", etcdCA),
		"--peer-client-cert-auth",
		// A cluster that dies with its machine need not survive a power cut,
		// and on a slow disk fsync is most of what a write costs.
		"--unsafe-no-fsync",
		// Writing the store less often saves CPU. After a kill the log restores it.
		"--backend-batch-interval=1s",
		// Ten thousand handlers with all their children, and their history
		// until it is compacted, are more than the default of 2 GiB.
		"--quota-backend-bytes=8589934592",
		"--log-level=warn",
	}
}
