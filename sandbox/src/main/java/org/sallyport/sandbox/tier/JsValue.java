package org.sallyport.sandbox.tier;

import java.util.List;
import java.util.Map;

/** What a literal or a JSON text stands for. */
sealed interface JsValue {
    JsValue EMPTY = new Members(Map.of());
    JsValue NULL = new Null();

    record Null() implements JsValue {}

    record Flag(boolean value) implements JsValue {}

    record Numeral(double value) implements JsValue {}

    record Text(String value) implements JsValue {}

    record Items(List<JsValue> values) implements JsValue {}

    /** Members in the order in which they were first named. */
    record Members(Map<String, JsValue> values) implements JsValue {}
}
