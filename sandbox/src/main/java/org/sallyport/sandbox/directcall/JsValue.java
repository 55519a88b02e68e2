package org.sallyport.sandbox.directcall;

import java.util.List;
import java.util.Map;

/** The value of a literal or of a JSON text. */
sealed interface JsValue {
    JsValue EMPTY_OBJECT = new JsObject(Map.of());
    JsValue NULL = new JsNull();

    record JsNull() implements JsValue {}

    record JsBoolean(boolean value) implements JsValue {}

    record JsNumeric(double value) implements JsValue {}

    record JsString(String value) implements JsValue {}

    record JsArray(List<JsValue> values) implements JsValue {}

    /** Members in the order of their first occurrence. */
    record JsObject(Map<String, JsValue> values) implements JsValue {}
}
