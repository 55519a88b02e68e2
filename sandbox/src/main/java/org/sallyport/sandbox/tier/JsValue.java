package org.sallyport.sandbox.tier;

import java.util.List;
import java.util.Map;

/** What a literal or a JSON text stands for. */
sealed interface JsValue {
    JsValue EMPTY_OBJECT = new JsObject(Map.of());
    JsValue NULL = new JsNull();

    record JsNull() implements JsValue {}

    record JsBoolean(boolean value) implements JsValue {}

    record JsNumeric(double value) implements JsValue {}

    record JsString(String value) implements JsValue {}

    record JsArray(List<JsValue> values) implements JsValue {}

    /** Members in the order in which they were first named. */
    record JsObject(Map<String, JsValue> values) implements JsValue {}
}
