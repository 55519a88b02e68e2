package org.sallyport.submission;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/** Implementations of interfaces of which a test needs few methods. */
final class FakeInterfaces {
    private FakeInterfaces() {}

    static <T> T fake(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** An implementation whose methods must not be called. */
    static <T> T unused(Class<T> type) {
        return fake(type, (self, method, arguments) -> {
            throw new UnsupportedOperationException(method.getName());
        });
    }
}
