package main

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	slsa "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/spdxlib"
	"google.golang.org/protobuf/encoding/protojson"
)

func hostArchive() string {
	return "kubectl-gati_" + runtime.GOOS + "_" + runtime.GOARCH + ".tar.gz"
}

func pluginName() string {
	if runtime.GOOS == "windows" {
		return "kubectl-gati.exe"
	}
	return "kubectl-gati"
}

// unpacked is the folder of the programs, empty while they are not unpacked.
var unpacked struct {
	sync.Mutex
	in string
}

// programs returns the programs in the archive and in the image, by the name of the file.
func programs(t *testing.T) map[string]string {
	t.Helper()
	unpacked.Lock()
	defer unpacked.Unlock()
	if unpacked.in == "" {
		content := map[string][]byte{
			hostArchive(): unpack(t, read(t, released(t), hostArchive()))[0].content,
			imageFile:     imageFiles(t, platformImage(t))["gati-webhook"],
		}
		dir, err := os.MkdirTemp("", "gati-release-test")
		if err != nil {
			t.Fatal(err)
		}
		unpacked.in = dir
		for artifact, program := range content {
			put(t, program, dir, artifact)
			if err := os.Chmod(filepath.Join(dir, artifact), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	return map[string]string{hostArchive(): filepath.Join(unpacked.in, hostArchive()), imageFile: filepath.Join(unpacked.in, imageFile)}
}

// goVersion returns the modules that "go version -m" names, each as path and version.
func goVersion(t *testing.T, program string) []string {
	t.Helper()
	out, err := exec.Command("go", "version", "-m", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		switch fields := strings.Fields(line); {
		case len(fields) >= 3 && fields[0] == "dep", len(fields) >= 3 && fields[0] == "=>":
			names = append(names, fields[1]+" "+fields[2])
		case len(fields) >= 2 && fields[0] == "mod":
			names = append(names, fields[1]+" v0.0.7") // a checkout has no version of its own
		}
	}
	if len(names) < 30 {
		t.Fatalf("go version -m names %d modules of %s", len(names), program)
	}
	return names
}

// TestSBOMsNameEveryModule holds that the SPDX project's own library reads and accepts
// each document, and that it names what "go version -m" names.
func TestSBOMsNameEveryModule(t *testing.T) {
	t.Parallel()
	for artifact, program := range programs(t) {
		t.Run(artifact, func(t *testing.T) {
			text := read(t, released(t), artifact+".spdx.json")
			doc, err := json.Read(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := spdxlib.ValidateDocument(doc); err != nil {
				t.Error(err)
			}
			checkMandatory(t, doc)
			checkArtifact(t, doc, artifact)
			var named []string
			for _, p := range doc.Packages {
				named = append(named, p.PackageName+" "+p.PackageVersion)
			}
			for _, want := range append(goVersion(t, program), "std "+runtimeVersion(t, program)) {
				if !slices.Contains(named, want) {
					t.Errorf("it does not name %s", want)
				}
			}
			t.Logf("%d packages, %d relationships", len(doc.Packages), len(doc.Relationships))
		})
	}
}

func runtimeVersion(t *testing.T, program string) string {
	t.Helper()
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	return info.GoVersion
}

var (
	spdxTime    = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`)
	spdxElement = regexp.MustCompile(`^[a-zA-Z0-9.-]+$`)
	spdxLicense = regexp.MustCompile(`^[A-Za-z0-9.-]+( AND [A-Za-z0-9.-]+)*$`)
	spdxCreator = regexp.MustCompile(`^(Organization|Tool)$`)
)

// checkMandatory checks what SPDX 2.3 makes mandatory and the library lets pass.
func checkMandatory(t *testing.T, doc *spdx.Document) {
	t.Helper()
	if doc.SPDXVersion != "SPDX-2.3" || doc.DataLicense != "CC0-1.0" || doc.SPDXIdentifier != "DOCUMENT" || !strings.HasPrefix(doc.DocumentNamespace, "https://") {
		t.Errorf("the document is %s, %s, %s, %s", doc.SPDXVersion, doc.DataLicense, doc.SPDXIdentifier, doc.DocumentNamespace)
	}
	if !spdxTime.MatchString(doc.CreationInfo.Created) || len(doc.CreationInfo.Creators) == 0 {
		t.Errorf("created %q by %v", doc.CreationInfo.Created, doc.CreationInfo.Creators)
	}
	for _, c := range doc.CreationInfo.Creators {
		if !spdxCreator.MatchString(c.CreatorType) {
			t.Errorf("a creator is a %q", c.CreatorType)
		}
	}
	seen := map[string]bool{}
	for _, p := range doc.Packages {
		id := string(p.PackageSPDXIdentifier)
		if seen[id] || !spdxElement.MatchString(id) || p.PackageName == "" || p.PackageDownloadLocation == "" || p.FilesAnalyzed {
			t.Errorf("package %q (%s) is incomplete or named twice", id, p.PackageName)
		}
		if !spdxLicense.MatchString(p.PackageLicenseDeclared) || p.PackageLicenseDeclared != p.PackageLicenseConcluded {
			t.Errorf("%s has the licence %q, %q", p.PackageName, p.PackageLicenseDeclared, p.PackageLicenseConcluded)
		}
		seen[id] = true
	}
}

// checkArtifact checks that the document is about the file beside it.
func checkArtifact(t *testing.T, doc *spdx.Document, artifact string) {
	t.Helper()
	ids, err := spdxlib.GetDescribedPackageIDs(doc)
	if err != nil || len(ids) != 1 {
		t.Fatalf("it describes %v, %v", ids, err)
	}
	for _, p := range doc.Packages {
		if p.PackageSPDXIdentifier != ids[0] {
			continue
		}
		if p.PackageFileName != artifact || len(p.PackageChecksums) != 1 || p.PackageChecksums[0].Value != hexSHA256(read(t, released(t), artifact)) {
			t.Errorf("it describes %s with %v", p.PackageFileName, p.PackageChecksums)
		}
	}
}

// TestProvenance holds that in-toto's own library accepts the statement and its predicate,
// and that its subjects are the files of the release and the image.
func TestProvenance(t *testing.T) {
	t.Parallel()
	var s intoto.Statement
	if err := protojson.Unmarshal(read(t, released(t), provenanceFile), &s); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	raw, err := protojson.Marshal(s.GetPredicate())
	if err != nil {
		t.Fatal(err)
	}
	var p slsa.Provenance
	if err := protojson.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	subjects := map[string]string{}
	for _, subject := range s.GetSubject() {
		subjects[subject.GetName()] = subject.GetDigest()["sha256"]
	}
	for _, name := range releasedFiles {
		if name == provenanceFile || name == checksumFile {
			continue // they come after it
		}
		if want := hexSHA256(read(t, released(t), name)); subjects[name] != want {
			t.Errorf("the subject %s has %q, want %s", name, subjects[name], want)
		}
	}
	if _, digest := releasedImage(t); "sha256:"+subjects["registry.example/gati-webhook"] != digest {
		t.Errorf("the image is %q, want %s", subjects["registry.example/gati-webhook"], digest)
	}
	resolved := p.GetBuildDefinition().GetResolvedDependencies()
	if got := resolved[0].GetDigest()["gitCommit"]; got != strings.Repeat("ab", 20) {
		t.Errorf("the commit is %q", got)
	}
	t.Logf("%d subjects, %d resolved dependencies", len(subjects), len(resolved))
}

// TestEveryLicenceIsThere holds that what is linked is in the list of licences.
func TestEveryLicenceIsThere(t *testing.T) {
	t.Parallel()
	text := string(read(t, released(t), noticesFile))
	for artifact, program := range programs(t) {
		for _, name := range goVersion(t, program) {
			if !strings.HasPrefix(name, "gati.dev/gati ") && !strings.Contains(text, name+" (") {
				t.Errorf("%s has no licence of %s, which %s links", noticesFile, name, artifact)
			}
		}
	}
}
