package org.sallyport.sandbox;

/**
 * Told what a session does, in order, one call at a time, on a thread of the sandbox: implementations return quickly
 * and never block on I/O. Nothing comes after {@link #onEnded}.
 */
public interface SessionListener {

    /**
     * The script calls a tool; answer with {@link SandboxSession#resolve} or {@link SandboxSession#reject}.
     *
     * @param call ordinal of the call within the session, from 1, given in the order the script made the calls
     * @param backend original name of the backend
     * @param tool original name of the tool
     * @param arguments exactly the JSON text that was called with
     */
    void onToolCall(long call, String backend, String tool, String arguments);

    /**
     * The script wrote output (already bounded, never split inside a code point).
     *
     * @param stream which stream
     * @param text what was written, may hold any UTF-16 code unit
     */
    void onOutput(OutputStreamKind stream, String text);

    /** Output of {@code stream} reached its limit; everything further is dropped. Told once a stream. */
    void onOutputTruncated(OutputStreamKind stream);

    /**
     * The script says how far it is; only the latest word counts.
     *
     * @param fraction from 0 to 1
     * @param text a few words, at most 1,000 characters; may be empty
     */
    void onProgress(double fraction, String text);

    /**
     * What else the script heard: timers that fired and times it read. Told before anything that may depend on it.
     *
     * @param log follows what was told before; see {@link ReplayState#log()}
     */
    default void onReplayLog(String log) {}

    /**
     * A debugger can attach.
     *
     * @param url where, as a WebSocket address of this machine
     */
    default void onDebuggerReady(String url) {}

    /**
     * The script was sampled; told before the end.
     *
     * @param profile in the format of {@code .cpuprofile} files
     */
    default void onProfile(String profile) {}

    /** The session is over; its memory is free. */
    void onEnded(SessionResult end);
}
