package org.sallyport.web.mcp;

/** What programs find in the {@code _meta} of progress notifications. */
final class ProgressMeta {
    /** Which execution it is about. */
    static final String EXECUTION = "org.sallyport/execution";
    /** Which stream the message is a piece of: {@code output} or {@code error-output}. */
    static final String STREAM = "org.sallyport/stream";
    /** Where in its stream the message stands, in characters. */
    static final String OFFSET = "org.sallyport/offset";
    /** Which approval is waited for. */
    static final String APPROVAL = "org.sallyport/approval";

    private ProgressMeta() {}
}
