package org.sallyport.sandbox.guest;

/** A thread that runs scripts and counts the weight of the calls that are open on it. Used only on itself. */
abstract class CallCountingThread extends Thread {
    private int callWeight;
    private boolean deepStackUsed;

    CallCountingThread(String name, long stackBytes) {
        super(null, null, name, stackBytes);
    }

    /**
     * Sets the weight to 0. Called when no call is open: after a stack overflow in {@link CallDepthLimiter} itself the
     * weight may be wrong.
     */
    final void resetCalls() {
        callWeight = 0;
        deepStackUsed = false;
    }

    /** Adds the weight of a call that begins, or subtracts it when the call ends. Returns the new total. */
    final int addCallWeight(int weight) {
        callWeight += weight;
        return callWeight;
    }

    /** Notes that calls were nested so deep that much of the stack has been written. */
    final void markDeepStackUsed() {
        deepStackUsed = true;
    }

    final boolean isDeepStackUsed() {
        return deepStackUsed;
    }
}
