package org.sallyport.catalog;

/**
 * Computes the number of characters that must be added, removed or replaced to turn one text into another
 * (Levenshtein).
 */
final class LevenshteinDistance {
    /** Names come from scripts: longer names are compared by their beginnings, so that the work stays bounded. */
    private static final int MAX_COMPARED_LENGTH = 200;

    private LevenshteinDistance() {}

    static int between(String from, String to) {
        String a = from.length() > MAX_COMPARED_LENGTH ? from.substring(0, MAX_COMPARED_LENGTH) : from;
        String b = to.length() > MAX_COMPARED_LENGTH ? to.substring(0, MAX_COMPARED_LENGTH) : to;
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] current = new int[b.length() + 1];
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, Math.min(previous[j], current[j - 1]) + 1);
            }
            previous = current;
        }
        return previous[b.length()];
    }
}
