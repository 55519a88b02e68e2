package org.sallyport.connector.bean;

import java.util.Optional;
import java.util.function.Supplier;
import org.sallyport.bean.Backend;

/**
 * A bean that is a backend.
 *
 * @param type its class, annotated with {@link Backend}
 * @param jar name of the extension jar that contains it; empty for a bean of the application
 * @param instance supplies the instance when a tool is called
 */
public record BackendBean(Class<?> type, Optional<String> jar, Supplier<?> instance) {

    /** The annotation of the bean. */
    public Backend backend() {
        return type.getAnnotation(Backend.class);
    }

    /** Returns jar and class for error messages. */
    String place() {
        return jar.map(file -> file + ": ").orElse("") + type.getName();
    }
}
