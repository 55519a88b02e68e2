package org.sallyport.connector.document;

/** A text is neither JSON nor YAML. The message says which of both was expected, what is wrong, and where. */
public final class UnreadableDocumentException extends Exception {
    private static final long serialVersionUID = 1L;

    UnreadableDocumentException(String reason) {
        super(reason);
    }

    /** @param line number of the line, from 1 */
    UnreadableDocumentException(String reason, int line, int column) {
        super(reason + " (line " + line + ", column " + column + ")");
    }
}
