package org.sallyport.bean;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Optional details of a parameter of a {@link Tool}, or of a component of a record that is such a parameter. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
public @interface Param {

    /** Description for authors and agents. */
    String value() default "";

    /** Name in the arguments. Default: the name in Java. */
    String name() default "";
}
