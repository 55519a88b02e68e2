package org.sallyport.sandbox.directcall;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Generates scripts within and close to the grammar of the simple tier, replies and texts, from one seed. */
final class RandomCallScripts {
    private final Random random;

    RandomCallScripts(long seed) {
        random = new Random(seed);
    }

    boolean chance(int oneOf) {
        return random.nextInt(oneOf) == 0;
    }

    @SafeVarargs
    final <T> T any(T... values) {
        return values[random.nextInt(values.length)];
    }

    /** Returns a script, with type annotations if {@code typed}. */
    String script(boolean typed) {
        String name = any("r", "result", "x1", "_", "tools", "demo");
        String annotation = typed && chance(2) ? blank() + ":" + blank() + type(2) : "";
        String call = call(typed);
        String end = any(";", ";", "\n", "", ";;", " ;\n; ", "/* x */;", "// x\n");
        String script = switch (random.nextInt(6)) {
            case 0 -> call + end;
            case 1 -> "return" + any(" ", "\t", " /**/ ", " ", "\n") + call + end;
            case 2 ->
                any("const ", "let ", "var ", "const\n") + name + annotation + blank() + "=" + blank() + call + end;
            case 3 ->
                "const " + name + annotation + " = " + call + end + blank() + "return " + name
                        + any(";", "", "\n", "; //") + blank();
            case 4 -> "const " + name + annotation + "=" + call + any(";", "\n") + name + any("", ";");
            default -> any("await ", "") + call + any(";", "") + any("", "return 1", ";1", "x");
        };
        return blank() + (chance(8) ? mutated(script) : script) + any("", "", "\n", " // end", "/* end */");
    }

    private String call(boolean typed) {
        String arguments = chance(12) ? "" : literal(3);
        return any("await ", "await ", "await\n", "await/**/", "")
                + any("tools", "mcp", "tools", "")
                + ""
                + path()
                + blank()
                + any("(", "(", "(" + blank())
                + arguments
                + (arguments.isEmpty() ? "" : any("", "", ",", " , "))
                + blank()
                + ")"
                + (typed && chance(3) ? " as " + type(2) : "");
    }

    private String path() {
        String backend =
                any("demo", "demo", "my_backend", "['my-backend']", "[\"demo\"]", "console", "nothing", "[`demo`]");
        String tool = any("echo", "echo", "other", "['my.tool']", "my_tool", "[\"echo\"]", "missing", "then", "_1st");
        return blank()
                + (backend.startsWith("[") ? "" : ".")
                + backend
                + blank()
                + (tool.startsWith("[") ? "" : any(".", ".", "." + blank(), "?."))
                + tool;
    }

    /** Removes a leading dot from the tool reference, so that its root is a bare name. */
    static String withBareRoot(String script) {
        return script.replaceFirst("(await[ \\n]|await/\\*\\*/|= ?|return |^)\\s*\\.", "$1");
    }

    String blank() {
        return switch (random.nextInt(16)) {
            case 0 -> " ";
            case 1 -> "\n";
            case 2 -> "/* a */";
            case 3 -> "// a\n";
            case 4 -> any("\t", " \u00a0", "\f", "\u000b", "\ufeff", "\u2003");
            case 5 -> "\r\n";
            case 6 -> "\u2028";
            case 7 -> "/* 😀\n */";
            case 8 -> chance(6) ? "\r" : "  ";
            default -> "";
        };
    }

    private String type(int depth) {
        return switch (random.nextInt(depth == 0 ? 4 : 10)) {
            case 0 -> "any";
            case 1 -> "string";
            case 2 -> "Foo.Bar";
            case 3 -> "'a'";
            case 4 -> type(depth - 1) + "[]";
            case 5 -> "Array<" + type(depth - 1) + ">";
            case 6 -> "{ a: " + type(depth - 1) + "; b?: number }";
            case 7 -> type(depth - 1) + " | null";
            case 8 -> "[" + type(depth - 1) + ", number]";
            default -> "Map<string, { a: " + type(depth - 1) + " }>";
        };
    }

    private String literal(int depth) {
        return switch (random.nextInt(depth == 0 ? 6 : 10)) {
            case 0 -> number();
            case 1, 2 -> string();
            case 3 -> any("null", "true", "false");
            case 4 -> any("-", "- ") + number();
            case 5 -> any("undefined", "NaN", "`a${1}`", "+1", "/x/", "x", "1n", "{ ...x }", "[,]", "{ a }", "0", "''");
            case 6, 7 -> "[" + list(depth) + "]";
            default -> "{" + members(depth) + "}";
        };
    }

    private String list(int depth) {
        List<String> items = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            items.add(blank() + literal(depth - 1));
        }
        return String.join(",", items) + any("", "", ",");
    }

    private String members(int depth) {
        List<String> members = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            members.add(blank() + key() + blank() + ":" + blank() + literal(depth - 1));
        }
        return String.join(",", members) + (members.isEmpty() ? "" : any("", "", ","));
    }

    private String key() {
        return any(
                "a",
                "b",
                "a",
                "'a b'",
                "\"q\"",
                "10",
                "2",
                "'1'",
                "0x10",
                "1e3",
                ".5",
                "4294967294",
                "4294967295",
                "'00'",
                "toJSON",
                "constructor",
                "get",
                "async",
                "await",
                "return",
                "$",
                "'__proto__'",
                "__proto__",
                "'😀'",
                "-1",
                "[a]",
                "1.50",
                "hasOwnProperty");
    }

    private String number() {
        return switch (random.nextInt(12)) {
            case 0 ->
                any(
                        "0",
                        "-0",
                        "1.0",
                        "1e21",
                        "1e-7",
                        "0.1",
                        "100",
                        "123456789012345680000",
                        "5e-324",
                        "1e308",
                        "9007199254740993",
                        "1234567890123456789",
                        "12345678901234567891",
                        "9007199254740993.0001",
                        "0.00001234567890123456789",
                        "100000000000000000000000");
            case 1 ->
                any(
                        "0x1F",
                        "0b101",
                        "0o17",
                        "017",
                        "08",
                        "1_000",
                        "1__0",
                        ".5",
                        "5.",
                        "1e5",
                        "1E+5",
                        "1e999",
                        "0xFFFFFFFFFFFFFFFFF");
            case 2 ->
                Double.toString(Double.longBitsToDouble(random.nextLong()))
                        .replace("NaN", "1")
                        .replace("Infinity", "2");
            case 3 -> Double.toString(random.nextDouble());
            case 4 -> Long.toString(random.nextLong() >>> (1 + random.nextInt(60)));
            case 5 -> random.nextInt(1000) + "." + random.nextInt(100000);
            case 6 -> random.nextInt(1000) + "e" + (random.nextInt(60) - 30);
            default -> Integer.toString(random.nextInt(100));
        };
    }

    private String string() {
        StringBuilder text = new StringBuilder();
        char quote = any('\'', '"', '`');
        for (int i = random.nextInt(5); i > 0; i--) {
            text.append(any(
                    "a",
                    "\\n",
                    "\\'",
                    "\\\"",
                    "\\`",
                    "\\\\",
                    "\\u0041",
                    "\\u{1F600}",
                    "\\x41",
                    "\\0",
                    "\\08",
                    "\\1",
                    "\\8",
                    "\\q",
                    "\\\n",
                    "\\\r\n",
                    "😀",
                    "é",
                    "\u2028",
                    "\\ud800",
                    "\ud83d",
                    "\\u{110000}",
                    "\u0001",
                    "\u007f",
                    "${",
                    "$",
                    "\n",
                    "//",
                    "/*",
                    "</"));
        }
        return quote + text.toString() + quote;
    }

    private String mutated(String script) {
        int at = random.nextInt(script.length() + 1);
        return switch (random.nextInt(3)) {
            case 0 ->
                script.substring(0, at)
                        + any(
                                ";", "(", ")", "!", ",", ".", " ", "\n", "=", "await ", "}", "{", "-->", "<!--", "#",
                                "\\u0061")
                        + script.substring(at);
            case 1 -> script.substring(0, at) + script.substring(Math.min(script.length(), at + 1));
            default -> script.substring(0, at);
        };
    }

    /** Returns JSON that a tool may return. */
    String reply(int depth) {
        return switch (random.nextInt(depth == 0 ? 5 : 9)) {
            case 0 -> jsonNumber();
            case 1 ->
                any(
                        "\"a\"",
                        "\"\\u0041\\ud800\"",
                        "\"\u2028\u007f\"",
                        "\"\\/\\b\\f\\u001F\"",
                        "\"😀\"",
                        "\"\ud800\"",
                        "\"\"");
            case 2 -> any("null", "true", "false");
            case 3 -> jsonNumber();
            case 4 -> any("[]", "{}", " { } ", "1e999", "-1e999");
            case 5, 6 -> {
                List<String> items = new ArrayList<>();
                for (int i = random.nextInt(4); i > 0; i--) {
                    items.add(reply(depth - 1));
                }
                yield "[ " + String.join(" , ", items) + "]";
            }
            default -> {
                List<String> members = new ArrayList<>();
                for (int i = random.nextInt(5); i > 0; i--) {
                    members.add(jsonKey() + ":" + reply(depth - 1));
                }
                yield "{" + String.join(", ", members) + "}";
            }
        };
    }

    private String jsonKey() {
        return "\""
                + any(
                        "a",
                        "b",
                        "a",
                        "10",
                        "2",
                        "-1",
                        "01",
                        "4294967294",
                        "4294967295",
                        "9007199254740991",
                        "__proto__",
                        "toJSON",
                        "constructor",
                        "",
                        "😀",
                        "a.b",
                        "[0]",
                        "length")
                + "\"";
    }

    private String jsonNumber() {
        return switch (random.nextInt(8)) {
            case 0 ->
                any(
                        "0",
                        "-0",
                        "1.0",
                        "-0.0",
                        "1E400",
                        "1e-400",
                        "0.10000000000000000555",
                        "123456789012345678901234567890",
                        "2e-44",
                        "5.684341886080802e-14",
                        "9007199254740993",
                        "1.7976931348623157e308",
                        "4.9e-324",
                        "1e21",
                        "1e20",
                        "1e-6",
                        "1e-7",
                        "-1.5e-10");
            case 1 ->
                Double.toString(Double.longBitsToDouble(random.nextLong()))
                        .replace("NaN", "1")
                        .replace("Infinity", "2");
            case 2 -> Double.toString(Math.scalb(1.0, random.nextInt(2000) - 1000));
            case 3 -> random.nextInt(1000) + "." + (random.nextLong() >>> 1);
            case 4 -> Long.toString(random.nextLong());
            default -> Integer.toString(random.nextInt(1000) - 500);
        };
    }
}
