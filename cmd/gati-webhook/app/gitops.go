package app

import (
	"fmt"
	"net/mail"
	"strings"

	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/target/gitops"
	"gati.dev/gati/pkg/target/gitops/repository"
)

// gitConfig is where the target gitops commits to.
type gitConfig struct {
	URL, Branch, Path     string
	Secret, SigningSecret string
	Author                string
	// Sync is the tool whose objects are committed beside the plans; empty for none.
	Sync string
}

func (g *gitConfig) addFlags(f *pflag.FlagSet) {
	f.StringVar(&g.URL, "git-url", "", "the repository of the target gitops: https://…, ssh://… or file:///…")
	f.StringVar(&g.Branch, "git-branch", "main", "the branch that plans are committed to")
	f.StringVar(&g.Path, "git-path", "", "the folder of the repository below which plans are; empty is its root")
	f.StringVar(&g.Secret, "git-secret", "", "the Secret of --namespace with the credentials of the repository: username and password, bearerToken, ca.crt, or identity and known_hosts")
	f.StringVar(&g.SigningSecret, "git-signing-secret", "", "the Secret of --namespace with the OpenPGP key that signs commits: git.asc, passphrase")
	f.StringVar(&g.Author, "git-author", "Gati <gati-controller@gati.dev>", "the author of commits")
	f.StringVar(&g.Sync, "git-sync", "", "commit the objects with which a tool applies the plans, below _sync: "+strings.Join(gitops.Tools, " or "))
}

// validate refuses settings with which no repository could be written.
func (g *gitConfig) validate() error {
	_, err := repository.New(repository.Settings{URL: g.URL, Branch: g.Branch})
	if err != nil {
		return fmt.Errorf("--git-url, --git-branch: %w", err)
	}
	if _, err := mail.ParseAddress(g.Author); err != nil {
		return fmt.Errorf("--git-author %q: want \"Name <address>\"", g.Author)
	}
	if g.Sync == "" {
		return nil
	}
	if _, err := gitops.SyncFiles(g.Sync, g.gitSource()); err != nil {
		return fmt.Errorf("--git-sync: %w", err)
	}
	return nil
}

// gitSource returns the repository and path that the tool reads.
func (g *gitConfig) gitSource() gitops.Source {
	return gitops.Source{URL: g.URL, Branch: g.Branch, Path: g.Path, Secret: g.Secret}
}

// newGitOps returns the target that commits plans.
func newGitOps(mgr ctrl.Manager, d dependencies, cached client.Client, f *observe.Facts) (*gitops.Target, error) {
	g := d.config.Git
	author, err := mail.ParseAddress(g.Author)
	if err != nil {
		return nil, fmt.Errorf("--git-author: %w", err)
	}
	secrets := gitops.Secrets{Namespace: d.config.Namespace, Repository: g.Secret, Signing: g.SigningSecret}
	repo, err := repository.New(repository.Settings{
		URL: g.URL, Branch: g.Branch, Author: repository.Author{Name: author.Name, Email: author.Address}, Access: secrets.Access(mgr.GetAPIReader()), Clock: d.clock,
	})
	if err != nil {
		return nil, fmt.Errorf("--git-url: %w", err)
	}
	if g.Sync != "" {
		if err := mgr.Add(gitops.Sync{Repository: repo, Tool: g.Sync, Source: g.gitSource()}); err != nil {
			return nil, err
		}
	}
	return gitops.New(cached, mgr.GetAPIReader(), repo, g.Path, func() []client.ObjectList { return removableKinds(f) }), nil
}
