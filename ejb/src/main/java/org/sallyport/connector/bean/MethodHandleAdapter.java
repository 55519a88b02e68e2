package org.sallyport.connector.bean;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;

/**
 * Adapts method handles to three types that allow {@code invokeExact}: such a call costs nanoseconds, and exceptions of
 * the method are not wrapped.
 */
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

    /** A void method returns null. */
    static MethodHandle invoker(MethodHandle of, int parameters) {
        return of.asFixedArity().asSpreader(1, Object[].class, parameters).asType(INVOKER);
    }

    /** Converts a checked exception that a method throws without being allowed to declare it. */
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
