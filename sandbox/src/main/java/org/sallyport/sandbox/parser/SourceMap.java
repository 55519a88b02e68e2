package org.sallyport.sandbox.parser;

import java.util.ArrayList;
import java.util.List;

/**
 * The {@code mappings} of a version 3 source map with one source (ECMA-426), parsed into tables. Its columns count
 * UTF-16 code units on both sides, unlike the positions in the messages of the same compiler. Immutable.
 */
final class SourceMap implements PositionMap {
    private static final String BASE64_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    private record MappingSegment(int column, int originalLine, int originalColumn) {}

    private final List<List<MappingSegment>> lines = new ArrayList<>();

    SourceMap(String mappings) {
        parse(mappings);
    }

    @Override
    public SourcePosition toOriginal(SourcePosition place) {
        if (place.line() < 1 || place.line() > lines.size()) {
            return SourcePosition.UNKNOWN;
        }
        int column = place.column() - 1;
        MappingSegment found = null;
        for (MappingSegment segment : lines.get(place.line() - 1)) {
            // Some statements have no segment of their own before the segment of their first name.
            if (segment.column() > column && found != null) {
                break;
            }
            found = segment;
        }
        if (found == null) {
            return SourcePosition.UNKNOWN;
        }
        return new SourcePosition(found.originalLine() + 1, found.originalColumn() + 1);
    }

    private void parse(String mappings) {
        List<MappingSegment> line = new ArrayList<>();
        int[] fields = new int[5];
        int field = 0;
        int value = 0;
        int shift = 0;
        for (int i = 0; i <= mappings.length(); i++) {
            char next = i == mappings.length() ? ';' : mappings.charAt(i);
            if (next == ',' || next == ';') {
                if (field >= 4) {
                    line.add(new MappingSegment(fields[0], fields[2], fields[3]));
                }
                field = 0;
                if (next == ';') {
                    lines.add(List.copyOf(line));
                    line.clear();
                    fields[0] = 0;
                }
                continue;
            }
            int digit = BASE64_DIGITS.indexOf(next);
            value |= (digit & 31) << shift;
            shift += 5;
            if ((digit & 32) == 0) {
                fields[field++] += (value & 1) == 1 ? -(value >>> 1) : value >>> 1;
                value = 0;
                shift = 0;
            }
        }
    }
}
