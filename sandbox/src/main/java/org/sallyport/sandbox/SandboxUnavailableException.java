package org.sallyport.sandbox;

/** Nothing can run or read scripts now: workers cannot be started, or the sandbox is closed. */
public final class SandboxUnavailableException extends RuntimeException {
    public SandboxUnavailableException(String message) {
        super(message);
    }
}
