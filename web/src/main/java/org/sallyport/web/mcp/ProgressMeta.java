package org.sallyport.web.mcp;

/** Members of {@code _meta} in progress notifications, for programs. */
final class ProgressMeta {
    /** The id of the execution. */
    static final String EXECUTION = "org.sallyport/execution";
    /** The id of the batch. */
    static final String BATCH = "org.sallyport/batch";
    /** The stream that the message is a part of: {@code output} or {@code error-output}. */
    static final String STREAM = "org.sallyport/stream";
    /** The offset of the message in its stream, in characters. */
    static final String OFFSET = "org.sallyport/offset";
    /** The position of the message in the order of both streams, in characters. */
    static final String SEQUENCE = "org.sallyport/sequence";
    /** When the script wrote the message. */
    static final String AT = "org.sallyport/at";
    /** The id of the approval that the execution waits for. */
    static final String APPROVAL = "org.sallyport/approval";

    private ProgressMeta() {}
}
