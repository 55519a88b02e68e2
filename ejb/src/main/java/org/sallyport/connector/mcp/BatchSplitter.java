package org.sallyport.connector.mcp;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits the text of a JSON array into the texts of its members, without parsing them: a member that is no valid JSON
 * affects no other.
 */
final class BatchSplitter {
    private BatchSplitter() {}

    /**
     * Returns the members in their order; the last one reaches to the end if the array has no end.
     *
     * @param array a text that begins with a bracket
     * @param maxMembers number of members after which the others are not read
     */
    static List<String> split(String array, int maxMembers) {
        List<String> members = new ArrayList<>();
        int depth = 0;
        boolean inText = false;
        int from = 1;
        for (int at = 0; at < array.length() && members.size() < maxMembers; at++) {
            char c = array.charAt(at);
            if (inText) {
                if (c == '\\') {
                    at++; // the character behind it does not end the text
                } else {
                    inText = c != '"';
                }
                continue;
            }
            switch (c) {
                case '"' -> inText = true;
                case '[', '{' -> depth++;
                case ']', '}' -> depth--;
                default -> {
                    // Belongs to a member, or separates members.
                }
            }
            if (depth == 0 || depth == 1 && c == ',') {
                members.add(array.substring(from, at));
                from = at + 1;
            }
            if (depth == 0) {
                return members;
            }
        }
        if (members.size() < maxMembers) {
            members.add(array.substring(from));
        }
        return members;
    }
}
