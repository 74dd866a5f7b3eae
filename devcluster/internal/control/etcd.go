package control

import "path/filepath"

// etcdArgs. The store is as private as a loopback port can be made: only the
// bearer of a certificate of its own authority is let in.
func (c Config) etcdArgs() []string {
	client, peer := c.componentURL(Etcd), c.componentURL(etcdPeer)
	return []string{
		"--name=devcluster",
		formatFlag("data-dir", filepath.Join(c.Dir, DataDir, "etcd")),
		formatFlag("listen-client-urls", client),
		formatFlag("advertise-client-urls", client),
		formatFlag("listen-peer-urls", peer),
		formatFlag("initial-advertise-peer-urls", peer),
		formatFlag("initial-cluster", "devcluster="+peer),
		c.pkiFlag("cert-file", "etcd.crt"),
		c.pkiFlag("key-file", "etcd.key"),
		c.pkiFlag("trusted-ca-file", etcdCA),
		"--client-cert-auth",
		c.pkiFlag("peer-cert-file", "etcd.crt"),
		c.pkiFlag("peer-key-file", "etcd.key"),
		c.pkiFlag("peer-trusted-ca-file", etcdCA),
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
