package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;

/** Writes texts, numbers and booleans as JavaScript does (ECMA-262, Number::toString), with all digits they have. */
final class ScalarText {
    private static final int MIN_PLAIN_EXPONENT = -6;
    private static final int MAX_PLAIN_EXPONENT = 20;

    private ScalarText() {}

    /**
     * @param value a text, a number or a boolean; {@link UnencodableArgumentException} for any other value
     * @param name names the argument in the error
     */
    static String format(JsonNode value, String name) {
        if (!isScalar(value)) {
            throw new UnencodableArgumentException("'" + name + "' must be a text, a number or a boolean");
        }
        return value.isNumber() && !value.isIntegralNumber() ? format(value.decimalValue()) : value.asText();
    }

    static boolean isScalar(JsonNode value) {
        return value.isTextual() || value.isNumber() || value.isBoolean();
    }

    static String format(BigDecimal value) {
        if (value.signum() == 0) {
            return "0";
        }
        BigDecimal digits = value.stripTrailingZeros();
        long exponent = (long) digits.precision() - digits.scale() - 1;
        if (exponent >= MIN_PLAIN_EXPONENT && exponent <= MAX_PLAIN_EXPONENT) {
            return digits.toPlainString();
        }
        String all = digits.unscaledValue().abs().toString();
        String mantissa = all.length() == 1 ? all : all.charAt(0) + "." + all.substring(1);
        return (digits.signum() < 0 ? "-" : "") + mantissa + (exponent < 0 ? "e-" : "e+") + Math.abs(exponent);
    }
}
