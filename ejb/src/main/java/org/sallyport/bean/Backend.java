package org.sallyport.bean;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Makes an {@code @ApplicationScoped} bean a backend: its methods with {@link Tool} are tools. Calls come on many threads at one time. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Backend {

    /** The name of the backend, with which scripts call its tools. */
    String value();

    /** With which profile it is there; always, unless one is named. */
    String profile() default "";
}
