package org.sallyport.bean;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes an {@code @ApplicationScoped} bean a backend, whose methods with {@link Tool} are tools. Many threads call them
 * concurrently.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Backend {

    /** Name of the backend, with which scripts call its tools. */
    String value();

    /** Profile in which the backend is active. Default: all profiles. */
    String profile() default "";
}
