package org.sallyport.connector.bean;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;

/** Brings handles to the three types that are called exactly: that costs nanoseconds, and what a method throws comes as it is. */
final class MethodHandleAdapter {
    private static final MethodType GETTER = MethodType.methodType(Object.class, Object.class);
    private static final MethodType CONSTRUCTOR = MethodType.methodType(Object.class, Object[].class);
    private static final MethodType INVOKER = MethodType.methodType(Object.class, Object.class, Object[].class);

    private MethodHandleAdapter() {}

    static MethodHandle getter(MethodHandle of) {
        return of.asType(GETTER);
    }

    static MethodHandle constructor(MethodHandle of, int parameters) {
        return of.asFixedArity().asSpreader(Object[].class, parameters).asType(CONSTRUCTOR);
    }

    /** What returns nothing gives null. */
    static MethodHandle invoker(MethodHandle of, int parameters) {
        return of.asFixedArity().asSpreader(1, Object[].class, parameters).asType(INVOKER);
    }

    /** For what nobody may declare and some throw all the same. */
    static RuntimeException unchecked(Throwable e) {
        if (e instanceof RuntimeException unchecked) {
            return unchecked;
        }
        if (e instanceof Error error) {
            throw error;
        }
        return new IllegalStateException(e);
    }
}
