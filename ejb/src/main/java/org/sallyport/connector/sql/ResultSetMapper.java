package org.sallyport.connector.sql;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Clob;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Maps the rows of a result to objects with column names as members. */
final class ResultSetMapper {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.withExactBigDecimals(true);

    private ResultSetMapper() {}

    /** The result exceeds the limit of rows or characters. */
    static final class ResultTooLargeException extends Exception {
        private static final long serialVersionUID = 1L;

        ResultTooLargeException(String message) {
            super(message);
        }
    }

    static ArrayNode toJson(ResultSet result, int mostRows, int mostChars)
            throws SQLException, ResultTooLargeException {
        ResultSetMetaData columns = result.getMetaData();
        ArrayNode rows = NODES.arrayNode();
        long chars = 0;
        while (result.next()) {
            if (rows.size() == mostRows) {
                throw new ResultTooLargeException("gives more than " + mostRows + " rows");
            }
            ObjectNode row = rows.addObject();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                JsonNode value = value(result, i, columns.getColumnTypeName(i));
                chars += columns.getColumnLabel(i).length() + value.toString().length();
                if (chars > mostChars) {
                    throw new ResultTooLargeException("gives more than " + mostChars + " characters");
                }
                row.set(columns.getColumnLabel(i), value);
            }
        }
        return rows;
    }

    private static JsonNode value(ResultSet result, int column, String type) throws SQLException {
        Object value = result.getObject(column);
        if (value == null) {
            return NODES.nullNode();
        }
        if (type.toLowerCase(Locale.ROOT).startsWith("json")) {
            return parseJson(
                    value instanceof byte[] bytes
                            ? new String(bytes, java.nio.charset.StandardCharsets.UTF_8)
                            : String.valueOf(value));
        }
        if (value instanceof Timestamp && type.toLowerCase(Locale.ROOT).contains("tz")) {
            value = result.getObject(column, OffsetDateTime.class);
        }
        return toNode(value);
    }

    private static JsonNode toNode(@Nullable Object value) throws SQLException {
        if (value == null) {
            return NODES.nullNode();
        } else if (value instanceof Boolean flag) {
            return NODES.booleanNode(flag);
        } else if (value instanceof BigDecimal number) {
            return NODES.numberNode(number);
        } else if (value instanceof Double || value instanceof Float) {
            double number = ((Number) value).doubleValue();
            return Double.isFinite(number)
                    ? NODES.numberNode(new BigDecimal(value.toString()))
                    : NODES.textNode(value.toString());
        } else if (value instanceof Number number) {
            return NODES.numberNode(number.longValue());
        } else if (value instanceof byte[] bytes) {
            return NODES.textNode(Base64.getEncoder().encodeToString(bytes));
        } else if (value instanceof Clob text) {
            return NODES.textNode(text.getSubString(1, (int) Math.min(Integer.MAX_VALUE, text.length())));
        } else if (value instanceof Array array) {
            return toArrayNode((Object[]) array.getArray());
        }
        return NODES.textNode(toText(value));
    }

    private static JsonNode toArrayNode(Object[] items) throws SQLException {
        ArrayNode list = NODES.arrayNode();
        for (Object item : items) {
            list.add(toNode(item));
        }
        return list;
    }

    /** Formats times as ISO 8601. */
    private static String toText(Object value) {
        if (value instanceof Timestamp at) {
            return at.toLocalDateTime().toString();
        } else if (value instanceof OffsetDateTime at) {
            return at.withOffsetSameInstant(ZoneOffset.UTC).toString();
        } else if (value instanceof Date day) {
            return day.toLocalDate().toString();
        } else if (value instanceof Time time) {
            return time.toLocalTime().toString();
        }
        return value.toString();
    }

    private static JsonNode parseJson(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            return NODES.textNode(text);
        }
    }
}
