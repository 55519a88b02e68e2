package org.sallyport.sandbox;

/** Scripts cannot be run or checked now: no worker can be started, or the sandbox is closed. */
public final class SandboxUnavailableException extends RuntimeException {
    public SandboxUnavailableException(String message) {
        super(message);
    }
}
