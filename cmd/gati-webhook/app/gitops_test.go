package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "gati.dev/gati/api/v1"
)

// TestSettingsOfGit holds which settings of the repository are refused at the start.
func TestSettingsOfGit(t *testing.T) {
	const url = "--target=gitops --git-url=https://git.example.com/plans"
	for args, says := range map[string]string{
		url: "",
		url + " --git-sync=argocd --git-secret=s --git-signing-secret=k":   "",
		"--allowed-targets=gitops --git-url=git@git.example.com:plans.git": "",
		"--target=gitops": "use https://, ssh:// or file://",
		"--target=gitops --git-url=http://git.example.com/plans":                    "use https://, ssh:// or file://",
		"--target=gitops --git-url=https://gati:secret@git.example.com/plans":       "keep it in the Secret",
		url + " --git-branch=a..b":                                                  "is no name of a branch",
		url + " --git-author=Gati":                                                  `want "Name <address>"`,
		url + " --git-sync=jenkins":                                                 "want one of flux, argocd",
		"--target=gitops --git-url=file:///var/plans.git --git-sync=flux":           "flux cannot read file:///var/plans.git",
		"--git-url=http://git.example.com/plans --git-sync=jenkins --git-author=no": "",
	} {
		_, err := loadConfig(strings.Fields(args), noEnv)
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: got %v, want %q in it", args, err, says)
		}
		if err != nil && strings.Contains(err.Error(), "secret@") {
			t.Errorf("%s: the password is told: %v", args, err)
		}
	}
}

// TestConfigurationOfTheDocument loads the settings that docs/targets.md shows.
func TestConfigurationOfTheDocument(t *testing.T) {
	page, err := os.ReadFile("../../../docs/targets.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## gitops\n")
	_, block, _ := strings.Cut(section, "\n```yaml\n")
	text, _, found := strings.Cut(block, "```\n")
	if !found {
		t.Fatal("docs/targets.md shows no settings below gitops")
	}
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := loadConfig([]string{"--config=" + file}, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	if c.Target != v1.TargetGitOps || c.Git.Path != "clusters/prod" || c.Git.Secret != "gati-git" || c.Git.Sync != "flux" {
		t.Errorf("loaded as %+v", c.Git)
	}
}
