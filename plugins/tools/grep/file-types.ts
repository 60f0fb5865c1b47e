import { nearNames } from 'kern/plugin';

/** What goes by the name of a type. The same list for ripgrep and without it; each name stands for the words before it. */
const table = `
ada: *.adb *.ads
asm: *.asm *.s *.S
awk: *.awk
bazel: *.bazel *.bzl *.bazelrc *.BUILD BUILD MODULE.bazel WORKSPACE
bat cmd: *.bat *.cmd
c: *.c *.h *.C *.H *.cats
clojure clj: *.clj *.cljc *.cljs *.cljx *.edn
cmake: *.cmake CMakeLists.txt
coffeescript coffee: *.coffee
config conf: *.cfg *.conf *.config *.ini
cpp c++: *.cpp *.cc *.cxx *.hpp *.hh *.hxx *.h *.C *.H *.inl
crystal: *.cr *.ecr shard.yml
cs csharp: *.cs
css: *.css *.scss
csv: *.csv
cuda: *.cu *.cuh
cython: *.pyx *.pxd *.pxi
d: *.d
dart: *.dart
diff patch: *.diff *.patch
docker dockerfile: *Dockerfile* *.dockerfile
dockercompose: docker-compose.yml docker-compose.*.yml compose.yml compose.yaml
elisp: *.el
elixir: *.ex *.exs *.eex *.heex *.leex *.livemd
elm: *.elm
erb: *.erb
erlang: *.erl *.hrl
fish: *.fish
fortran: *.f *.F *.f77 *.f90 *.F90 *.f95 *.F95
fsharp fs: *.fs *.fsi *.fsx
gdscript: *.gd
gleam: *.gleam
go golang: *.go
gomod: go.mod go.sum go.work
gradle: *.gradle *.gradle.kts gradle.properties gradlew gradlew.bat
graphql gql: *.graphql *.graphqls *.gql
groovy: *.groovy *.gradle
h header: *.h *.hh *.hpp
haml: *.haml
handlebars hbs: *.hbs *.handlebars
haskell hs: *.hs *.lhs *.hsc *.cabal
hcl: *.hcl
html: *.html *.htm *.ejs *.xhtml
idl: *.idl *.webidl
java: *.java *.jsp *.jspx *.properties
jinja: *.j2 *.jinja *.jinja2
js javascript: *.js *.jsx *.mjs *.cjs *.vue
json: *.json *.jsonc *.json5 composer.lock
jsonl: *.jsonl *.ndjson
julia jl: *.jl
jupyter notebook: *.ipynb
kotlin kt: *.kt *.kts
less: *.less
lisp: *.lisp *.lsp *.el *.scm *.cl
lock: *.lock package-lock.json pnpm-lock.yaml
log: *.log
lua: *.lua
make makefile: *.mk *.mak [Mm]akefile Makefile.* GNUmakefile
markdown md: *.md *.markdown *.mdx *.mdown *.mkd
matlab: *.m
meson: meson.build meson_options.txt meson.options
nim: *.nim *.nims *.nimble
nix: *.nix
objc: *.m *.h
objcpp: *.mm *.h
ocaml ml: *.ml *.mli *.mll *.mly
org: *.org
pascal: *.pas *.dpr *.lpr *.pp *.inc
perl pl: *.pl *.pm *.t *.plx
php: *.php *.phtml *.php3 *.php4 *.php5 *.php7 *.php8
po: *.po
powershell ps: *.ps1 *.psm1 *.psd1
prisma: *.prisma
prolog: *.pro *.prolog *.P
protobuf proto: *.proto
puppet: *.pp *.epp
py python: *.py *.pyi *.pyw
qml: *.qml
r: *.r *.R *.Rmd *.rmd
racket: *.rkt
raku: *.raku *.rakumod *.rakutest *.p6
readme: README* *README
rst: *.rst
ruby rb: *.rb *.rake *.gemspec *.rbw Gemfile Rakefile config.ru
rust rs: *.rs
sass: *.sass *.scss
scala: *.scala *.sbt
scheme: *.scm *.ss *.sld
sh shell bash: *.sh *.bash *.zsh *.ksh *.csh *.bashrc .bashrc .bash_profile .profile .zshrc .zprofile .env
solidity sol: *.sol
sql: *.sql *.psql
stylus: *.styl
svelte: *.svelte *.svelte.ts
svg: *.svg
swift: *.swift
systemd: *.service *.socket *.timer *.target *.mount *.path *.slice
tcl: *.tcl
terraform tf: *.tf *.tf.json *.tfvars *.tfvars.json
tex latex: *.tex *.sty *.cls *.bib *.ltx
thrift: *.thrift
toml: *.toml Cargo.lock
ts typescript: *.ts *.tsx *.mts *.cts
twig: *.twig
txt text: *.txt
typst: *.typ
v vlang: *.v *.vsh
vala: *.vala
vb: *.vb
verilog: *.v *.vh *.sv *.svh
vhdl: *.vhd *.vhdl
vim vimscript: *.vim .vimrc vimrc
vue: *.vue
wasm wat: *.wat *.wast
wgsl: *.wgsl
xml: *.xml *.xsd *.xsl *.xslt *.dtd *.rng
yaml yml: *.yaml *.yml
zig: *.zig *.zon
zsh: *.zsh .zshrc .zprofile .zshenv .zlogin .zlogout
`;

export type FileType =
  | { readonly state: 'known'; readonly globs: readonly string[] }
  | { readonly state: 'unknown'; readonly why: string };

/** The names of the files of a type. A name that is no type and is an ending of one means that ending alone: `tsx`. */
export function fileType(name: string): FileType {
  const types = readTable();
  const wanted = name
    .trim()
    .replace(/^\*?\./, '')
    .toLowerCase();
  const globs = types.get(wanted);
  if (globs !== undefined) return { state: 'known', globs };
  const ending = `*.${wanted}`;
  if ([...types.values()].some((known) => known.includes(ending))) return { state: 'known', globs: [ending] };
  const near = nearNames(wanted, types.keys());
  const meant = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  return {
    state: 'unknown',
    why: `There is no file type ${JSON.stringify(name)}.${meant} Or say it by a glob: "*.${wanted}".`,
  };
}

function readTable(): ReadonlyMap<string, readonly string[]> {
  const lines = table.trim().split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [names = '', globs = ''] = line.split(': ');
      return names.split(' ').map((name) => [name, globs.split(' ')] as const);
    }),
  );
}
