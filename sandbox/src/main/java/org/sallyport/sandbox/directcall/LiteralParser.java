package org.sallyport.sandbox.directcall;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sallyport.sandbox.directcall.ScriptToken.ScriptTokenType;
import org.sallyport.sandbox.directcall.SimpleScriptParser.NotSimpleException;

/**
 * Parses literals that JSON can represent. Rejects holes, spreads, computed names, methods and shorthand members;
 * {@code __proto__}, which does not create a member; and {@code undefined}, which would vanish.
 */
final class LiteralParser {
    /** The guest refuses deeper values, with its own message. */
    private static final int MAX_DEPTH = 64;

    private final TokenStream tokens;

    LiteralParser(TokenStream words) {
        this.tokens = words;
    }

    JsValue parseValue(int depth) throws NotSimpleException {
        ScriptToken first = tokens.next();
        switch (first.type()) {
            case STRING, TEMPLATE -> {
                return new JsValue.JsString(first.text());
            }
            case NUMBER -> {
                return new JsValue.JsNumeric(first.number());
            }
            case NAME -> {
                return parseConstant(first.text());
            }
            case SIGN -> {
                return parseStructure(first.text(), depth);
            }
            default -> throw new NotSimpleException();
        }
    }

    private static JsValue parseConstant(String name) throws NotSimpleException {
        return switch (name) {
            case "null" -> JsValue.NULL;
            case "true" -> new JsValue.JsBoolean(true);
            case "false" -> new JsValue.JsBoolean(false);
            default -> throw new NotSimpleException();
        };
    }

    private JsValue parseStructure(String sign, int depth) throws NotSimpleException {
        tokens.require(depth < MAX_DEPTH);
        return switch (sign) {
            case "-" ->
                new JsValue.JsNumeric(-tokens.expectType(ScriptTokenType.NUMBER).number());
            case "[" -> parseArray(depth);
            case "{" -> parseObject(depth);
            default -> throw new NotSimpleException();
        };
    }

    private JsValue parseArray(int depth) throws NotSimpleException {
        List<JsValue> items = new ArrayList<>();
        while (!tokens.peek().isSign("]")) {
            items.add(parseValue(depth + 1));
            if (!tokens.peek().isSign("]")) {
                tokens.expectSign(",");
            }
        }
        tokens.expectSign("]");
        return new JsValue.JsArray(items);
    }

    private JsValue parseObject(int depth) throws NotSimpleException {
        Map<String, JsValue> members = new LinkedHashMap<>();
        while (!tokens.peek().isSign("}")) {
            ScriptToken name = tokens.next();
            String key = switch (name.type()) {
                case NAME, STRING -> name.text();
                case NUMBER -> JsNumberFormat.format(name.number());
                default -> throw new NotSimpleException();
            };
            tokens.require(!key.equals("__proto__"));
            tokens.expectSign(":");
            members.put(key, parseValue(depth + 1));
            if (!tokens.peek().isSign("}")) {
                tokens.expectSign(",");
            }
        }
        tokens.expectSign("}");
        return new JsValue.JsObject(members);
    }
}
