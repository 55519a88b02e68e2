package org.sallyport.connector.sql;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.BigInteger;
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
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sallyport.connector.document.ExactJson;

/**
 * Maps the rows of a result to objects with column names as members, and keeps all digits of numbers. Of several
 * columns with one name, the first keeps it; the others get {@code _2}, {@code _3} and so on.
 */
final class ResultSetMapper {
    private static final JsonNodeFactory NODES = ExactJson.NODES;

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
        List<String> names = columnNames(columns);
        ArrayNode rows = NODES.arrayNode();
        long chars = 0;
        while (result.next()) {
            if (rows.size() == mostRows) {
                throw new ResultTooLargeException("gives more than " + mostRows + " rows");
            }
            ObjectNode row = rows.addObject();
            for (int i = 1; i <= names.size(); i++) {
                JsonNode value = value(result, i, columns.getColumnTypeName(i));
                chars += names.get(i - 1).length() + value.toString().length();
                if (chars > mostChars) {
                    throw new ResultTooLargeException("gives more than " + mostChars + " characters");
                }
                row.set(names.get(i - 1), value);
            }
        }
        return rows;
    }

    /** Returns a different name for each column. No column gets a name that another one has by itself. */
    private static List<String> columnNames(ResultSetMetaData columns) throws SQLException {
        Set<String> reserved = new HashSet<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            reserved.add(columns.getColumnLabel(i));
        }
        Set<String> seen = new HashSet<>();
        List<String> names = new ArrayList<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            String label = columns.getColumnLabel(i);
            String name = label;
            if (!seen.add(label)) {
                for (int number = 2; !reserved.add(name); number++) {
                    name = label + "_" + number;
                }
            }
            names.add(name);
        }
        return names;
    }

    private static JsonNode value(ResultSet result, int column, String type) throws SQLException {
        if (type.equalsIgnoreCase("money")) {
            // The driver would read it as a double, and cannot read group separators.
            return toNode(result.getString(column));
        }
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
        } else if (value instanceof BigInteger number) {
            return NODES.numberNode(number);
        } else if (value instanceof Long
                || value instanceof Integer
                || value instanceof Short
                || value instanceof Byte) {
            return NODES.numberNode(((Number) value).longValue());
        } else if (value instanceof byte[] bytes) {
            return NODES.textNode(Base64.getEncoder().encodeToString(bytes));
        } else if (value instanceof Clob text) {
            return NODES.textNode(text.getSubString(1, (int) Math.min(Integer.MAX_VALUE, text.length())));
        } else if (value instanceof Array array) {
            return toArrayNode((Object[]) array.getArray());
        } else if (value instanceof Object[] items) {
            return toArrayNode(items);
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
            return ExactJson.MAPPER.readTree(text);
        } catch (JsonProcessingException | NumberFormatException e) {
            return NODES.textNode(text);
        }
    }
}
