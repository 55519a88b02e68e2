package org.sallyport.connector.bean;

import java.util.function.Supplier;
import org.sallyport.bean.Backend;

/**
 * A bean that was found.
 *
 * @param type its class, with {@link Backend}
 * @param instance gives it when it is called
 */
public record BackendBean(Class<?> type, Supplier<?> instance) {

    /** What it says of itself. */
    public Backend backend() {
        return type.getAnnotation(Backend.class);
    }
}
