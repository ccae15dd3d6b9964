/**
 * Inputs on which public indexers went wrong, each with the declarations that it holds, as `kind symbol lines`.
 */
export interface BugCase {
  readonly name: string;
  readonly path: string;
  readonly text: string;
  readonly declarations: readonly string[];
}

export const BUG_CASES: readonly BugCase[] = [
  {
    name: "C++: an export macro does not turn the class into a function",
    path: "gauge.hpp",
    text: "class LIB_API Gauge : public Base {\npublic:\n  int level() const { return 1; }\n};",
    declarations: ["class Gauge 1-4", "method Gauge::level 3"],
  },
  {
    name: "C++: operators, conversions, destructors and reference results keep their names",
    path: "buf.cpp",
    text: "struct Buf {\n  const int& peek() const { return v; }\n  explicit operator bool() const { return true; }\n  Buf& operator+=(int n) { return *this; }\n  ~Buf();\n  int v;\n};",
    declarations: [
      "struct Buf 1-7",
      "method Buf::peek 2",
      "method Buf::operator bool 3",
      "method Buf::operator+= 4",
      "method Buf::~Buf 5",
    ],
  },
  {
    name: "C++: out-of-line methods keep namespace and class",
    path: "io.cpp",
    text: "namespace app::io {\ntemplate <class T>\nBuf<T>::Buf(int n) : n_(n) {}\nResult Reader::read() { return {}; }\n}",
    declarations: ["namespace app::io 1-5", "constructor app::io::Buf::Buf 2-3", "method app::io::Reader::read 4"],
  },
  {
    name: "C++ in a .h file is read as C++",
    path: "x.h",
    text: "struct Base {};\nstruct Derived : Base {};",
    declarations: ["struct Base 1", "struct Derived 2"],
  },
  {
    name: "C++ in a .h file is recognised however late it shows",
    path: "late.h",
    text: `${"/* a long comment about nothing */\nint f(int a);\n".repeat(300)}struct Base {};\nstruct Derived : Base {};`,
    declarations: [
      ...Array.from({ length: 300 }, (_, at) => `function f ${at * 2 + 1}-${at * 2 + 2}`),
      "struct Base 601",
      "struct Derived 602",
    ],
  },
  {
    name: "C: a brace opened in both branches of #if does not swallow the rest",
    path: "probe.c",
    text: "int probe(int n) {\n#ifdef WIN\n  if (n > 1) {\n#else\n  if (n > 2) {\n#endif\n    n--;\n  }\n  return n;\n}\nint after(void) { return 0; }",
    declarations: ["function probe 1-10", "function after 11"],
  },
  {
    name: "Java: records, compact constructors and annotation types have their members",
    path: "Pt.java",
    text: "record Pt(int x) {\n  Pt {\n    check(x);\n  }\n  int twice() { return x * 2; }\n}\n@interface Mark {\n  String value();\n}",
    declarations: [
      "record Pt 1-6",
      "constructor Pt.Pt 2-4",
      "method Pt.twice 5",
      "annotation Mark 7-9",
      "method Mark.value 8",
    ],
  },
  {
    name: "Go: generic receivers keep their owner, and each grouped type is found",
    path: "p.go",
    text: "package p\n\ntype (\n\tA struct{ n int }\n\tB interface{ Do() }\n)\n\ntype S[T any] struct{}\n\n// Push adds.\nfunc (s *S[T]) Push(x T) {}",
    declarations: ["struct A 4", "interface B 5", "method B.Do 5", "struct S 8", "method S.Push 10-11"],
  },
  {
    name: "TypeScript: abstract classes are classes",
    path: "shape.ts",
    text: 'export abstract class Shape {\n  abstract area(): number;\n  name() { return ""; }\n}',
    declarations: ["class Shape 1-4", "method Shape.area 2", "method Shape.name 3"],
  },
  ...["a.ts", "a.mts", "a.cts"].map((path) => ({
    name: `TypeScript: ${path} is not read as TSX`,
    path,
    text: "export const vals = <V>(o: V[]) => o;\nconst n = <number>x;\nexport function tail() {}",
    declarations: ["function vals 1", "function tail 3"],
  })),
  {
    name: "JavaScript: generators, CommonJS exports and arrow fields are found, and a number is no function",
    path: "a.js",
    text: "function* ids() {}\nconst g = async function* () {};\nexports.get = async (q) => q;\nexports.size = 42;\nclass A {\n  walk = () => {};\n  *each() {}\n}",
    declarations: [
      "function ids 1",
      "function g 2",
      "function get 3",
      "class A 5-8",
      "method A.walk 6",
      "method A.each 7",
    ],
  },
  {
    name: "Python: a broken definition does not swallow its followers",
    path: "a.py",
    text: "def a():\n    return 1\n\ndef broken(:\n    x = (1,\n\ndef c():\n    return 3",
    declarations: ["function a 1-2", "function broken 4-5", "function c 7-8"],
  },
  {
    name: "Rust: methods of an impl belong to the type, not to the trait",
    path: "a.rs",
    text: "trait Src { fn read(&self) -> u8; }\nstruct Buf<T>(T);\nimpl<'a, T> Src for Buf<T> {\n    /// Reads.\n    #[inline]\n    fn read(&self) -> u8 { 0 }\n}",
    declarations: ["trait Src 1", "method Src.read 1", "struct Buf 2", "impl Src for Buf 3-7", "method Buf.read 4-6"],
  },
  {
    name: "Ruby: class << self, compact names and Struct.new are seen",
    path: "a.rb",
    text: "class Net::Http\n  class << self\n    def open; end\n  end\n  private def hid; end\nend\nPoint = Struct.new(:x) do\n  def norm; x; end\nend\nOops = Class.new(StandardError)",
    declarations: [
      "class Net::Http 1-6",
      "method Net::Http.open 3",
      "method Net::Http.hid 5",
      "class Point 7-9",
      "method Point.norm 8",
      "class Oops 10",
    ],
  },
  {
    name: "Ruby: a heredoc inside a heredoc hides no method, and its text is no code",
    path: "b.rb",
    text: "class A\n  def x\n    <<~ONE\n      class Fake; end #{<<~TWO}\n        b\n      TWO\n    ONE\n  end\n  def y; end\nend",
    declarations: ["class A 1-10", "method A.x 2-8", "method A.y 9"],
  },
  {
    name: "PHP: enums and traits are kinds of their own, and own their methods",
    path: "a.php",
    text: "<?php\nenum Suit: string {\n  case H = 'h';\n  const MAP = [1];\n  function label() {}\n}\ntrait T { function t() {} }",
    declarations: ["enum Suit 2-6", "method Suit.label 5", "trait T 7", "method T.t 7"],
  },
  {
    name: "C#: a file-scoped namespace qualifies; operators and indexers have names",
    path: "a.cs",
    text: 'namespace Geo;\nstruct V {\n  public static V operator +(V a, V b) => a;\n  public static explicit operator string(V v) => "";\n  public int this[int i] => i;\n}\nclass E(int id) : Exception("x");',
    declarations: [
      "struct Geo.V 2-6",
      "method Geo.V.operator + 3",
      "method Geo.V.explicit operator string 4",
      "method Geo.V.this[] 5",
      "class Geo.E 7",
    ],
  },
  {
    name: "Kotlin: a class with two annotations does not disappear",
    path: "a.kt",
    text: '@Service\n@Conf(p = "x")\nclass Settings {\n    var url: String? = null\n}\n\nclass Other',
    declarations: ["class Settings 1-5", "class Other 7"],
  },
  {
    name: "Kotlin: bodies on one line, and soft keywords as names",
    path: "b.kt",
    text: "class C { fun a() = 1 }\nclass D {\n    fun <R> suspend(r: R): R { return r }\n}\nfun later() = 2",
    declarations: ["class C 1", "method C.a 1", "class D 2-4", "method D.suspend 3", "function later 5"],
  },
  {
    name: "Swift: structs, enums, actors and extensions are told apart",
    path: "a.swift",
    text: "struct P {}\nenum E { case a }\nactor Bank { func pay() {} }\nextension P {\n  init(raw: Int) {}\n  subscript(i: Int) -> Int { i }\n  static func == (a: P, b: P) -> Bool { true }\n}",
    declarations: [
      "struct P 1",
      "enum E 2",
      "actor Bank 3",
      "method Bank.pay 3",
      "extension P 4-8",
      "constructor P.init 5",
      "method P.subscript 6",
      "method P.== 7",
    ],
  },
  {
    name: "Scala 3: cases level with match, and blocks that end at the next declaration",
    path: "a.scala",
    text: 'enum Color:\n  case Red\n\nobject A:\n  def f(x: Int) =\n    x match\n    case 1 => "a"\n  def g = 2',
    declarations: ["enum Color 1-2", "object A 4-8", "method A.f 5-7", "method A.g 8"],
  },
  {
    name: "Shell: text after a heredoc's opener, and all forms of functions",
    path: "a.sh",
    text: "setup() {\n  cat <<'EOF'; echo done\nfake() { :; }\nEOF\n}\nfunction b { :; }\nc() ( cd / )",
    declarations: ["function setup 1-5", "function b 6", "function c 7"],
  },
  {
    name: "SQL: nothing is split inside dollar quotes, blocks and strings",
    path: "a.sql",
    text: "CREATE FUNCTION f() AS $b$\nBEGIN\n  x := ';';\nEND;\n$b$ LANGUAGE plpgsql;\nCREATE TRIGGER t BEFORE INSERT ON m\nBEGIN\n  SELECT 1;\nEND;\nBEGIN;\nSELECT 2;",
    declarations: ["function f 1-5", "trigger t 6-9", "statement BEGIN 10", "statement SELECT 11"],
  },
  {
    name: "SQL: MySQL's DELIMITER",
    path: "b.sql",
    text: "DELIMITER //\nCREATE PROCEDURE p()\nBEGIN\n  SELECT 1;\nEND//\nDELIMITER ;\nSELECT 2;",
    declarations: ["statement DELIMITER 1", "procedure p 2-5", "statement DELIMITER 6", "statement SELECT 7"],
  },
  {
    name: "Markdown: front matter is no heading",
    path: "a.md",
    text: "---\ntitle: x\n---\n# Real",
    declarations: ["metadata x 1-3", "section Real 4"],
  },
  {
    name: "Markdown: a leading rule swallows nothing",
    path: "b.md",
    text: "---\n\n# One\n\n---\n# Two",
    declarations: ["section One 3-5", "section Two 6"],
  },
];
