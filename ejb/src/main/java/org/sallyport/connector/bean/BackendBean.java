package org.sallyport.connector.bean;

import java.util.function.Supplier;
import org.sallyport.bean.Backend;

/**
 * A bean of the application that is a backend.
 *
 * @param type its class, annotated with {@link Backend}
 * @param instance supplies the instance when a tool is called
 */
public record BackendBean(Class<?> type, Supplier<?> instance) {

    /** The annotation of the bean. */
    public Backend backend() {
        return type.getAnnotation(Backend.class);
    }
}
