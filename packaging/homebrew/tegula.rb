# The release fills in the address of the archive of the source and its checksum: packaging/README.md.
class Tegula < Formula
  desc "Finds exact and near duplicates in text collections, and proves each one"
  homepage "@HOMEPAGE@"
  url "@URL@"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args(path: "crates/tegula-cli")
    system bin/"tegula", "man", man1
    generate_completions_from_executable(bin/"tegula", "completions")
    pkgshare.install "testdata/peps.jsonl"
  end

  test do
    system bin/"tegula", "dedup", pkgshare/"peps.jsonl", "-o", "clean.jsonl", "--run", "evidence"
    assert_equal 29, (testpath/"clean.jsonl").readlines.length
    system bin/"tegula", "report", "evidence", "-o", "report.html"
    assert_path_exists testpath/"report.html"
  end
end
